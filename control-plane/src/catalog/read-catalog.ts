import { messageOf } from '@probe-mesh/runtime/errors'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { parseCatalog, type ParsedCatalog } from '@probe-mesh/contracts/outage/parse-catalog'

/** A catalog of 10,000 services is less than half of this. */
const charactersMax = 16 * 1024 * 1024

/**
 * Parses the text of a catalog file.
 * @param parseYaml may throw; its error becomes the one problem of the file
 * @returns the catalog, or all problems, with an empty path for the file itself
 */
export const readCatalog = (
  text: string,
  { parseYaml, allow }: { parseYaml: (text: string) => unknown; allow?: AllowList },
): ParsedCatalog => {
  const fail = (message: string): ParsedCatalog => ({
    ok: false,
    problems: [{ path: '', message }],
  })
  if (text.length > charactersMax) return fail(`must not be longer than ${charactersMax} characters`)
  let value: unknown
  try {
    value = parseYaml(text)
  } catch (error) {
    return fail(`is not YAML: ${messageOf(error)}`)
  }
  return parseCatalog(value, allow === undefined ? {} : { allow })
}
