// Runs before the tests and the start, on whatever Node there is: plain JavaScript, no syntax younger than 2020.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This is Node ${process.versions.node}. The sources need 22.18 or newer, which "npm ci" brings along;\n` +
      'if its install scripts were blocked, run: npm rebuild node',
  )
  process.exit(1)
}
