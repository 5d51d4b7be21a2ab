import type { ImportDraft, ImportInput } from '@probe-mesh/contracts/check/check-import'
import { readCurl } from './curl/read-curl.ts'
import { createSecretFinder, type FoundSecret } from './draft/found-secrets.ts'
import { readHar } from './har/read-har.ts'
import { readOpenApi } from './openapi/read-openapi.ts'

/** @param taken the names of secrets that the account has */
export type ReadQuestion = ImportInput & { taken: readonly string[] }

/** The draft names its secrets; their values are beside it. */
export type ReadAnswer =
  | { draft: ImportDraft; secrets: readonly FoundSecret[] }
  | { problems: readonly string[] }

/** Reads a text of any kind. */
export const readText = ({ kind, text: whole, baseUrl, taken }: ReadQuestion): ReadAnswer => {
  // the byte order mark of programs for Windows
  const text = whole.replace(/^\uFEFF/, '')
  if (/^[^\n]{0,3}\0/.test(text)) return { problems: ['The text is in UTF-16. Save it as UTF-8.'] }
  if (kind === 'openapi') {
    const read = readOpenApi(text, taken, baseUrl ?? null)
    return 'problems' in read ? read : { draft: { kind, ...read }, secrets: [] }
  }
  const finder = createSecretFinder(taken)
  const read = kind === 'curl' ? readCurl(text, finder) : readHar(text, finder)
  if ('problems' in read) return read
  const secrets = finder.found.map(({ name, hosts }) => ({ name, hosts }))
  const draft = { kind, ...read, secrets } as ImportDraft
  return { draft, secrets: finder.found }
}
