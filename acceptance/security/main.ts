// `npm run security`: tries the matrix of docs/security.md and writes the results there.
import { readFile, writeFile } from 'node:fs/promises'
import { withMatrix } from './matrix-document.ts'
import { casesOf, matrixProblems, measureMatrix } from './measure-matrix.ts'

const file = new URL('../../docs/security.md', import.meta.url)
const rows = await measureMatrix()
const day = new Date().toISOString().slice(0, 10)
await writeFile(file, withMatrix(await readFile(file, 'utf8'), rows, day))
console.log(casesOf(rows))
for (const p of matrixProblems(rows)) console.log(p)
