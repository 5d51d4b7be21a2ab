import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpackMissing } from '@probe-mesh/infra/testing/debian-packages'

const cache = fileURLToPath(new URL('../../../node_modules/.cache/nss-tools', import.meta.url))

/** Creates a home folder in which Chromium trusts an additional authority, only there. */
export const createBrowserHome = async (ca: string): Promise<{ path: string; remove(): void }> => {
  const certutil = await findCertutil()
  const path = mkdtempSync(join(tmpdir(), 'probe-mesh-browser-home-'))
  writeFileSync(join(path, 'ca.pem'), ca)
  // its path differs by version
  for (const folder of ['.pki/nssdb', '.local/share/pki/nssdb']) {
    const database = join(path, folder)
    mkdirSync(database, { recursive: true })
    certutil('-N', '-d', `sql:${database}`, '--empty-password')
    certutil('-A', '-d', `sql:${database}`, '-n', 'corpus', '-t', 'C,,', '-i', join(path, 'ca.pem'))
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

type Certutil = (...args: string[]) => void

/** Finds certutil on the machine, else in Debian's package, unpacked into a cache of this checkout. */
const findCertutil = async (): Promise<Certutil> => {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const own = folders.map((folder) => join(folder, 'certutil')).find((file) => existsSync(file))
  if (own !== undefined) return (...args) => void execFileSync(own, args, { stdio: 'pipe' })
  const root = join(cache, 'root')
  const fetched = join(root, 'usr', 'bin', 'certutil')
  if (!existsSync(fetched)) {
    mkdirSync(root, { recursive: true })
    await unpackMissing(['libnss3-tools'], cache, root)
  }
  const libraries = join(root, 'usr', 'lib')
  const places = existsSync(libraries) ? readdirSync(libraries).map((name) => join(libraries, name)) : []
  const env = { ...process.env, LD_LIBRARY_PATH: places.join(delimiter) }
  return (...args) => void execFileSync(fetched, args, { stdio: 'pipe', env })
}
