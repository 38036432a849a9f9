/** Packs what is here twice, in two folders: the bytes are the same, and their sum is printed. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** What belongs to the source: what is under version control, as it stands. */
const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter(Boolean)

function packedIn(folder: string): { name: string; sum: string } {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(file, join(folder, file))
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  execFileSync('npm', ['pack', '--silent'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz')) ?? ''
  return {
    name,
    sum: createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  }
}

const home = mkdtempSync(join(tmpdir(), 'dragoman-repro-'))
try {
  // Of different length and depth, so that a path in the bytes, or one from here to node_modules, would show.
  const [first, second] = ['one', 'another/folder'].map((name) => packedIn(join(home, name)))
  if (!first || first.sum !== second?.sum)
    throw new Error(`two packs differ: ${first?.sum} and ${second?.sum}`)
  console.log(`${first.sum}  ${first.name}`)
} finally {
  rmSync(home, { recursive: true })
}
