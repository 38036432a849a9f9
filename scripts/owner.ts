/** `npm run owner -- OWNER/REPOSITORY ["Name <address>"]`: whose it is, in place of the placeholder. */
import { readFileSync, writeFileSync } from 'node:fs'

/** Stands for the owner until there is one; `npm run release` refuses it. */
export const PLACEHOLDER = 'OWNER/dragoman'
const AUTHOR = 'The dragoman authors'
/** Every file that names it. */
export const FILES = ['package.json', 'docs/releasing.md', '.github/ISSUE_TEMPLATE/config.yml']

export function owned(text: string, repository: string, author?: string): string {
  const named = text.replaceAll(PLACEHOLDER, repository)
  return author === undefined ? named : named.replaceAll(AUTHOR, author)
}

if (import.meta.main) {
  const [repository = '', author] = process.argv.slice(2)
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    console.error('owner: expected OWNER/REPOSITORY')
    process.exit(1)
  }
  for (const file of FILES)
    writeFileSync(file, owned(readFileSync(file, 'utf8'), repository, author))
}
