import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { allCommands } from '@probe-mesh/cli/commands/all-commands'
import { cliDocument } from '@probe-mesh/cli/docs/cli-document'
import { errorTable } from '@probe-mesh/control-plane/documents/error-table'
import { openApiDocument } from '@probe-mesh/control-plane/documents/openapi'
import { withPoolTable } from '@probe-mesh/control-plane/documents/pool-table'
import { tierTable } from '@probe-mesh/control-plane/documents/tier-table'
import { packages } from '../../../dependency-rule/rooms.ts'
import { withPicture } from '../../../dependency-rule/picture.ts'
import { createProvider } from '@probe-mesh/terraform/provider'
import { referenceOf } from '@probe-mesh/terraform/reference/reference'
import { configurationReference } from './configuration-reference.ts'
import { drawings } from './drawings.ts'

/** Writes the generated documents. The OpenAPI document is not committed; a test fails if another one differs. */
const folder = new URL('../../../docs/', import.meta.url)

await mkdir(folder, { recursive: true })
await writeFile(new URL('openapi.json', folder), `${JSON.stringify(openApiDocument('/v1'), null, 2)}\n`)
await writeFile(new URL('errors.md', folder), errorTable())
await writeFile(new URL('tiers.md', folder), tierTable())
await mkdir(new URL('reference/', folder), { recursive: true })
await writeFile(new URL('reference/configuration.md', folder), configurationReference())
const overload = new URL('overload.md', folder)
await writeFile(overload, withPoolTable(await readFile(overload, 'utf8')))
await writeFile(new URL('cli.md', folder), cliDocument(allCommands))
const architecture = new URL('../ARCHITECTURE.md', folder)
await writeFile(architecture, withPicture(await readFile(architecture, 'utf8'), packages))
for (const { path, text } of referenceOf(createProvider({ environment: {} }))) {
  const file = new URL(path, new URL('../../../terraform/docs/', import.meta.url))
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, text)
}
for (const { path, text } of drawings()) await writeFile(new URL(`../${path}`, folder), text)
process.stdout.write(
  'wrote docs/openapi.json, docs/errors.md, docs/tiers.md, docs/cli.md, docs/reference/configuration.md, the pools of docs/overload.md, terraform/docs, the rooms of ARCHITECTURE.md, the drawings of the pages and the exports of all packages\n',
)
