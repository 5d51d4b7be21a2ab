// `npm run lockfile`: adds the checksums that package-lock.json lacks, from the registry.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { completeLockfile, type Lockfile } from './lockfile.ts'
import { runNpm } from './npm.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const lockFile = new URL('../../../package-lock.json', import.meta.url)
const listFile = new URL('without-integrity.json', import.meta.url)

const integrityOf = async (id: string): Promise<string | null> => {
  try {
    const answer: unknown = JSON.parse(await runNpm(['view', id, 'dist.integrity', '--json'], root))
    return typeof answer === 'string' ? answer : null
  } catch {
    return null
  }
}

const lockfile = JSON.parse(await readFile(lockFile, 'utf8')) as Lockfile
const { completed, withoutIntegrity } = await completeLockfile(lockfile, integrityOf)
if (completed.length > 0) await writeFile(lockFile, `${JSON.stringify(lockfile, null, 2)}\n`)
await writeFile(listFile, `${JSON.stringify(withoutIntegrity, null, 2)}\n`)
for (const id of completed) process.stdout.write(`${id}: added\n`)
for (const id of withoutIntegrity) process.stdout.write(`${id}: the registry does not have it\n`)
process.exitCode = withoutIntegrity.length > 0 ? 1 : 0
