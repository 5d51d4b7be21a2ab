import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { indexCatalog, type CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import { readCatalog } from '@probe-mesh/control-plane/catalog/read-catalog'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { parse } from 'yaml'
import { messageOf } from './process.ts'

const builtIn = fileURLToPath(new URL('../../../control-plane/catalog/catalog.yaml', import.meta.url))

export type LoadedCatalog = { ok: true; catalog: CatalogIndex } | { ok: false; problems: string[] }

/** Reads the catalog of `CATALOG_FILE`, or the built-in one. Problems name the file. */
export const loadCatalog = async (
  config: Pick<Config, 'catalogFile' | 'targetAllow'>,
): Promise<LoadedCatalog> => {
  const file = config.catalogFile ?? builtIn
  const name = config.catalogFile === null ? file : `CATALOG_FILE ${file}`
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return { ok: false, problems: [`${name} cannot be read: ${messageOf(error)}`] }
  }
  const parseYaml = (yaml: string): unknown => parse(yaml)
  const read = readCatalog(text, { parseYaml, allow: config.targetAllow })
  if (read.ok) return { ok: true, catalog: indexCatalog(read.catalog) }
  const problems = read.problems.map(({ path, message }) =>
    [name, ...(path === '' ? [] : [`at ${path}`]), message].join(' '),
  )
  return { ok: false, problems }
}
