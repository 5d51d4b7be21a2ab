import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SigningKey } from './signing-key.ts'

const run = promisify(execFile)
export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const makeMsMax = 900_000

export type Bill = {
  components: { name: string; version: string; properties: { name: string; value: string }[] }[]
}
export type ReleaseManifest = {
  version: string
  providerVersion: string
  files: { file: string; kind: string; platform: string | null; bytes: number; sha256: string }[]
}

/** The kinds that are made from this checkout alone; images and Debian packages have suites of their own. */
export const kinds = ['single-files', 'npm-packages', 'terraform-provider']

/** Makes a release by the documented command. @param key to sign it */
export const makeRelease = async (out: string, only: readonly string[], key?: SigningKey): Promise<void> => {
  const flags = ['--dry-run', '--out', out, '--only', only.join(',')]
  const signed = key === undefined ? [] : ['--key', key.secretKey]
  const PATH = [...(key === undefined ? [] : [key.programs]), process.env['PATH']].join(delimiter)
  await run('npm', ['run', '--silent', 'release', '--', ...flags, ...signed], {
    cwd: root,
    env: { ...process.env, PATH },
    timeout: makeMsMax,
    maxBuffer: 16 * 1024 * 1024,
  })
}

export const readManifest = async (out: string): Promise<ReleaseManifest> =>
  JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as ReleaseManifest

export const readBill = async (out: string): Promise<Bill> =>
  JSON.parse(await readFile(join(out, 'sbom.cdx.json'), 'utf8')) as Bill
