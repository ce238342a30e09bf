// One page with GraphQL: all requests go to one path, ids are in variables of JSON.

import { check, html, json, missing, random } from '../site.mjs';

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    session.csrf = random(16);
    return html('Tasks', `<meta name="csrf-token" content="${session.csrf}"><button id="add">Add</button><script>
      const ask = (operationName, query, variables) => fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', 'x-csrf-token': document.querySelector('meta[name=csrf-token]').content }, body: JSON.stringify({ operationName, query, variables }) }).then((answer) => answer.json());
      document.getElementById('add').onclick = async () => {
        const { data: { lists } } = await ask('Lists', 'query Lists { lists { id name } }', {});
        const { data: { addTask } } = await ask('AddTask', 'mutation AddTask($list: ID!, $text: String!) { addTask(list: $list, text: $text) { id version } }', { list: lists[0].id, text: 'buy milk' });
        await ask('Finish', 'mutation Finish($id: ID!, $version: String!) { finish(id: $id, version: $version) { done } }', { id: addTask.id, version: addTask.version });
        document.title = 'Finished';
      };
    </script>`);
  }
  if (method === 'POST' && path === '/graphql') {
    check(session.csrf && request.headers['x-csrf-token'] === session.csrf, 'wrong x-csrf-token');
    const { operationName, variables } = request.json;
    if (operationName === 'Lists') {
      session.list = random(10);
      return json({ data: { lists: [{ id: session.list, name: 'home' }, { id: random(10), name: 'work' }] } });
    }
    if (operationName === 'AddTask') {
      check(variables.list === session.list, 'no such list', 422);
      session.task = { id: crypto.randomUUID(), version: random(8) };
      return json({ data: { addTask: session.task } });
    }
    check(variables.id === session.task.id && variables.version === session.task.version, 'no such task', 422);
    return json({ data: { finish: { done: true } } });
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Tasks');
  await tab.click('#add');
  await tab.title('Finished');
}
