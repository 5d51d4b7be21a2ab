import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from '@probe-mesh/terraform/package.json' with { type: 'json' }
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProvider, type BuiltProvider } from './testing/run-terraform.ts'
import { expectOk, flat, head, openStage, startPlane, type Plane } from './testing/stage.ts'

/** The built filesystem mirror, from which Terraform installs the provider like a released one. */

const patience = { timeout: 120_000 }
let plane: Plane
let built: BuiltProvider
beforeAll(async () => {
  ;[built, plane] = await Promise.all([buildProvider(), startPlane()])
}, 120_000)
afterAll(async () => {
  await Promise.all([plane?.at.close(), built?.close()])
})

test(
  'the mirror installs, locks and applies the provider, also inside an ES module package',
  patience,
  async () => {
    const own = await openStage(plane, { mirrorFolder: join(built.folder, 'mirror') })
    try {
      // the type of files without an extension, unless a nearer package.json overrides it
      await writeFile(join(own.folder, 'package.json'), '{"type":"module"}\n')
      const web = 'resource "service_check" "web" {\nname = "web"\nurl = "https://web.example.com/"\n}\n'
      await own.write(head + web)
      expectOk(await own.terraform('init'))
      const lock = await readFile(join(own.folder, '.terraform.lock.hcl'), 'utf8')
      expect(lock).toContain('provider "registry.terraform.io/probe-mesh/service"')
      expect(lock).toContain(`"${manifest.version}"`)
      expect(lock).toContain('"h1:')
      const ran = await own.apply(web)
      expectOk(ran)
      expect(flat(ran)).not.toContain('development overrides')
      expect(await own.checks()).toMatchObject([{ name: 'web' }])
      // with only the lock file
      await rm(join(own.folder, '.terraform'), { recursive: true })
      expectOk(await own.terraform('init', '-lockfile=readonly'))
    } finally {
      await own.close()
    }
  },
)
