/** Prints through how many rooms an exchange goes, as docs/map.md has it: `npm run rooms`. */
import { measured, type Way } from './measure.ts'
import { tableOf, WAYS } from './table.ts'

const ways: Way[] = []
for (const [caller, upstream] of WAYS) ways.push(await measured(caller, upstream))
console.log(tableOf(ways))
