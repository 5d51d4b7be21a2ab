import { mkdir, writeFile } from 'node:fs/promises'
import { errorTable } from '@probe-mesh/control-plane/http/error-table'
import { openApiDocument } from '@probe-mesh/control-plane/http/openapi'
import { tierTable } from '@probe-mesh/control-plane/http/tier-table'

/** `npm run docs`: writes the documents that are generated and checked in. A test fails on drift. */
const folder = new URL('../../docs/', import.meta.url)

await mkdir(folder, { recursive: true })
await writeFile(
  new URL('openapi.json', folder),
  `${JSON.stringify(openApiDocument('/v1'), null, 2)}\n`,
)
await writeFile(new URL('errors.md', folder), errorTable())
await writeFile(new URL('tiers.md', folder), tierTable())
process.stdout.write('wrote docs/openapi.json, docs/errors.md and docs/tiers.md\n')
