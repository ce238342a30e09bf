// Packs `swell-load`, which picks a program, and a package with the program of one platform.
// Usage: node pack.mjs VERSION PROGRAM x64|arm64 OUT     Both are written to OUT as NAME-VERSION.tgz, with the same bytes each time.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [version, program, processor, out] = process.argv.slice(2);
if (!out || !["x64", "arm64"].includes(processor)) {
  console.error("usage: node pack.mjs VERSION PROGRAM x64|arm64 OUT");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const shared = {
  version,
  description: "Load testing with JMeter plans, at the cost of the fastest C tools, with stated accuracy",
  license: "Apache-2.0",
  keywords: ["load-testing", "performance", "jmeter", "http", "benchmark"],
};
// The address of the project, which npm compares with that of the workflow that publishes.
const repository = process.env.SWELL_REPOSITORY;
if (repository) {
  shared.repository = { type: "git", url: `git+${repository}.git` };
}

function pack(name, manifest, fill) {
  const work = mkdtempSync(join(tmpdir(), "swell-npm-"));
  try {
    mkdirSync(join(work, "bin"));
    copyFileSync(join(root, "LICENSE"), join(work, "LICENSE"));
    writeFileSync(join(work, "package.json"), `${JSON.stringify({ name, ...shared, ...manifest }, null, 2)}\n`);
    fill(work);
    // npm packs sorted names with one time (1985-10-26), so the bytes depend on the files alone.
    const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", resolve(out)];
    execFileSync("npm", args, { cwd: work, stdio: ["ignore", "ignore", "inherit"] });
  } finally {
    rmSync(work, { recursive: true });
  }
}

mkdirSync(out, { recursive: true });
const platforms = Object.fromEntries(["x64", "arm64"].map((each) => [`swell-load-linux-${each}`, version]));
pack(
  "swell-load",
  { bin: { swell: "bin/swell.js" }, files: ["bin"], engines: { node: ">=18" }, optionalDependencies: platforms },
  (work) => {
    cpSync(join(here, "swell-load/bin"), join(work, "bin"), { recursive: true });
    copyFileSync(join(here, "swell-load/README.md"), join(work, "README.md"));
    chmodSync(join(work, "bin/swell.js"), 0o755);
  },
);
pack(
  `swell-load-linux-${processor}`,
  { os: ["linux"], cpu: [processor], libc: ["glibc"], files: ["bin", "THIRD-PARTY.txt"], preferUnplugged: true },
  (work) => {
    copyFileSync(program, join(work, "bin/swell"));
    chmodSync(join(work, "bin/swell"), 0o755);
    const licences = process.env.SWELL_LICENCES;
    if (licences) {
      copyFileSync(licences, join(work, "THIRD-PARTY.txt"));
    }
    writeFileSync(join(work, "README.md"), `The program of \`swell-load\` for Linux on ${processor}.\n`);
  },
);
