// Bundles the page into dist/, which the program embeds; with --tests, the unit tests into dist-test/.
import { build } from 'esbuild';
import { readdirSync } from 'node:fs';

const shared = { bundle: true, legalComments: 'eof', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints: tests, outdir: 'dist-test', outExtension: { '.js': '.mjs' }, format: 'esm', platform: 'node' });
} else {
  const page = { ...shared, minify: true, target: 'es2022', outdir: 'dist' };
  await build({ ...page, entryPoints: { app: 'src/main.ts' }, format: 'iife' });
  await build({ ...page, entryPoints: { app: 'src/style.css' } });
}
