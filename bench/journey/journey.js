// The journey of journey.jmx for k6: k6 run -e PORT=... -e CSV=users.csv --vus 100 --duration 5s journey.js
import http from 'k6/http';
import { check, group } from 'k6';
import exec from 'k6/execution';
import { SharedArray } from 'k6/data';

const users = new SharedArray('users', () =>
  open(__ENV.CSV).split('\n').filter((line) => line).map((line) => line.split(',')));
const base = `http://127.0.0.1:${__ENV.PORT}`;

export default function () {
  const [user, password, item] = users[exec.scenario.iterationInTest % users.length];
  http.cookieJar().clear(base);
  const headers = {
    Accept: 'application/json',
    'Accept-Language': 'en-GB,en;q=0.8',
    'User-Agent': 'journey/1.0 (benchmark)',
    'X-Token': 'none',
    'Cache-Control': 'no-cache',
  };
  group('Journey', () => {
    const login = http.get(`${base}/login.json?user=${user}&password=${password}`, { headers, tags: { name: 'Login' } });
    const session = (/"session":"([^"]+)"/.exec(login.body) || [null, 'none'])[1];
    headers['X-Token'] = login.json('token');
    const account = login.json('account.id');
    for (let i = 1; i <= 5; i += 1) {
      const answer = http.get(`${base}/item-${i}.json?account=${account}&session=${session}&item=${item}`,
        { headers, tags: { name: `Item ${i}` } });
      check(answer, {
        'status is 200': (r) => r.status === 200,
        'is in stock': (r) => r.json('items.0.stock') === 10 * i,
      });
    }
  });
}
