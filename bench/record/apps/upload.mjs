// A form with a file: multipart bodies with a token in a part.

import { check, html, random, redirect } from '../site.mjs';

/** The parts of a body by name; content as text of one byte a character. */
function parts(request) {
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1];
  check(boundary, 'not multipart', 400);
  const all = {};
  for (const part of request.body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head, ...rest] = part.split('\r\n\r\n');
    const name = /name="([^"]*)"/.exec(head)?.[1];
    all[name] = { content: rest.join('\r\n\r\n').replace(/\r\n$/, ''), file: /filename="([^"]*)"/.exec(head)?.[1] };
  }
  return all;
}

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    session.ticket = random(14);
    return html('Upload', `<form id="form" method="post" action="/files" enctype="multipart/form-data"><input type="hidden" name="ticket" value="${session.ticket}"><input name="title" id="title"><input type="file" name="file" id="file"><button id="send">Send</button></form><script>
      const transfer = new DataTransfer();
      transfer.items.add(new File(['first line\\r\\nsecond line\\n'], 'notes.txt', { type: 'text/plain' }));
      document.getElementById('file').files = transfer.files;
    </script>`);
  }
  if (method === 'POST' && path === '/files') {
    const { ticket, title, file } = parts(request);
    check(ticket?.content === session.ticket, 'wrong ticket');
    check(title?.content === 'My notes', 'the title is not what was typed', 422);
    check(file?.file === 'notes.txt' && file.content === 'first line\r\nsecond line\n', 'the file is not what was sent', 422);
    session.file = random(9);
    return redirect(`/files/${session.file}`);
  }
  check(path === `/files/${session.file}`, 'no such file', 404);
  return html('Uploaded', '<p>notes.txt</p>');
}

export async function drive(tab) {
  await tab.title('Upload');
  await tab.type('#title', 'My notes');
  await tab.click('#send');
  await tab.title('Uploaded');
}
