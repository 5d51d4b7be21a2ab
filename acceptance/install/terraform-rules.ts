import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { findInPath } from './testing/find-in-path.ts'
import { openTerraformFolder } from '../terraform/testing/run-terraform.ts'
import { expectOk, flat, head, startPlane } from '../terraform/testing/stage.ts'
import { readManifest } from './testing/make-release.ts'

const check = 'resource "service_check" "web" {\n  name = "web"\n  url = "https://web.example.com/"\n}\n'

/** The provider's archive as Terraform installs it. @param release the folder of a release */
export const terraformRules = (release: () => string): void => {
  test('terraform init, plan and apply work with the zip in a mirror, on a PATH without Node', async () => {
    const folder = testFolder('install-terraform-')
    const { files } = await readManifest(release())
    const platform = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'
    const zip =
      files.find((one) => one.kind === 'terraform-provider' && one.platform === platform)?.file ?? ''
    const mirrorFolder = join(folder, 'mirror')
    const place = join(mirrorFolder, 'registry.terraform.io/probe-mesh/service')
    await mkdir(place, { recursive: true })
    await copyFile(join(release(), zip), join(place, zip))
    const path = join(folder, 'programs')
    await mkdir(path)
    await symlink(await findInPath('terraform'), join(path, 'terraform'))

    const plane = await startPlane()
    const account = await plane.at.account('scale')
    const own = await openTerraformFolder({
      providerFolder: null,
      mirrorFolder,
      environment: { PATH: path, SERVICE_API_URL: plane.apiUrl, SERVICE_API_KEY: account.writeKey },
    })
    try {
      await own.write(head + check)
      const installed = await own.terraform('init')
      expectOk(installed)
      expect(flat(installed)).toContain('Installed probe-mesh/service')
      const planned = await own.terraform('plan', '-out', 'planned')
      expectOk(planned)
      expect(flat(planned)).toContain('Plan: 1 to add, 0 to change, 0 to destroy.')
      expectOk(await own.terraform('apply', 'planned'))
      const { json } = await plane.at.call('GET', '/v1/checks', { key: account.writeKey })
      expect(json.checks).toMatchObject([{ name: 'web', url: 'https://web.example.com/' }])
      expectOk(await own.terraform('plan', '-detailed-exitcode'))
    } finally {
      await own.close()
      await plane.at.close()
    }
  })
}
