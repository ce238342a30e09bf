// Bundles the page into a folder, `node build.mjs FOLDER`; with --tests, the unit tests into dist-test/.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';

const shared = { bundle: true, legalComments: 'eof', logLevel: 'warning' };
const folder = process.argv[2];

if (folder === '--tests') {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints: tests, outdir: 'dist-test', outExtension: { '.js': '.mjs' }, format: 'esm', platform: 'node' });
} else if (folder) {
  const page = { ...shared, minify: true, target: 'es2022', outdir: folder };
  await build({ ...page, entryPoints: { app: 'src/main.ts' }, format: 'iife' });
  await build({ ...page, entryPoints: { app: 'src/style.css' } });
  await build({ ...page, entryPoints: { runs: 'src/runs/main.ts' }, format: 'iife' });
  await build({ ...page, entryPoints: { runs: 'src/runs/runs.css' } });
  await build({ ...page, entryPoints: { trace: 'src/trace/main.ts' }, format: 'iife' });
  await build({ ...page, entryPoints: { trace: 'src/trace/trace.css' } });
} else {
  throw new Error('name the folder that the page goes to, or --tests');
}
