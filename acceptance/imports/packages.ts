import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Documents and programs of others, which are read where they lie, and not kept here. */
const packages = [
  '@readme/oas-examples@8.2.2',
  'har-examples@5.0.1',
  'httpsnippet@3.0.10',
  'url-template@3.1.1',
] as const

export type Packages = {
  /** OpenAPI and Swagger documents by their path. */
  documents: readonly (readonly [path: string, text: string])[]
  /** HAR files by their name. */
  recordings: readonly (readonly [name: string, file: { log: { entries: unknown[] } }])[]
  /** A request of a HAR file as a curl command. */
  curlOf(request: unknown): string
  /** Expands a template of RFC 6570. */
  expand(template: string, values: Record<string, unknown>): string
  close(): Promise<void>
}

/** Installs them into a folder of their own. */
export const installPackages = async (): Promise<Packages> => {
  const folder = await mkdtemp(join(tmpdir(), 'service-imports-'))
  await writeFile(join(folder, 'package.json'), '{}')
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  await run('npm', ['install', ...quiet, ...packages], { cwd: folder, timeout: 240_000 })
  const modules = join(folder, 'node_modules')
  const load = async (path: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(join(modules, path)).href)
  const { default: hars } = await load('har-examples/dist/index.js')
  const { parseTemplate } = (await load('url-template/lib/url-template.js')) as {
    parseTemplate(text: string): { expand(values: Record<string, unknown>): string }
  }
  const { HTTPSnippet } = createRequire(join(folder, 'x.js'))('httpsnippet') as {
    HTTPSnippet: new (request: unknown) => {
      convert(target: string, client: string, options: object): string
    }
  }
  return {
    documents: await documentsIn(join(modules, '@readme/oas-examples')),
    recordings: Object.entries(hars as Record<string, { log: { entries: unknown[] } }>),
    curlOf: (request) =>
      new HTTPSnippet(structuredClone(request)).convert('shell', 'curl', { indent: false }),
    expand: (template, values) => parseTemplate(template).expand(values),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

const documentsIn = async (folder: string) => {
  const files = await readdir(folder, { recursive: true })
  const documents = files.filter((name) => /^[23]\.\d\/.*\.(?:json|yaml)$/.test(name)).toSorted()
  return Promise.all(
    documents.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  )
}
