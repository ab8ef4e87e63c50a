/** The published command. Its syntax is simple enough for old versions of Node, which then get a clear error message. */
export const LAUNCHER = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 21)) {
  import('../src/main.js');
} else {
  console.error(\`reborn needs Node 24.21 or later, but this is \${process.version}; install a newer one.\`);
  process.exitCode = 1;
}
`;
