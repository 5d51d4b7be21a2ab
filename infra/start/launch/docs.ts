// `npm run docs`: writes the exports of all packages, then the documents, which need the exports.
import { fileURLToPath } from 'node:url'
import { readTree } from '../../../dependency-rule/check.ts'
import { writeEntries } from '../../../dependency-rule/entries.ts'
import { packages } from '../../../dependency-rule/rooms.ts'

writeEntries(fileURLToPath(new URL('../../../', import.meta.url)), packages, readTree())
await import('./write-documents.ts')
