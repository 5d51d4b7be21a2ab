import { execFile } from 'node:child_process'
import { copyFile, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import type { SigningKey } from './testing/signing-key.ts'
import { kinds, makeRelease } from './testing/make-release.ts'

const run = promisify(execFile)
const sums = 'SHA256SUMS'
const signature = `${sums}.minisig`

const linesOf = async (folder: string): Promise<string[]> =>
  (await readFile(join(folder, sums), 'utf8')).trimEnd().split('\n')

/** What a person runs before an installation. @returns the files that it refuses */
const refusedIn = async (folder: string): Promise<string[]> => {
  const args = ['--check', '--ignore-missing', '--strict', sums]
  const { out } = await run('sha256sum', args, { cwd: folder, env: { ...process.env, LC_ALL: 'C' } }).then(
    ({ stdout }) => ({ out: stdout }),
    (error: { stdout: string }) => ({ out: error.stdout }),
  )
  return [...out.matchAll(/^(.*): FAILED/gm)].map((match) => match[1] ?? '')
}

/** Changes one bit of the byte in the middle. */
const changeByte = async (file: string): Promise<void> => {
  const handle = await open(file, 'r+')
  try {
    const at = Math.floor((await handle.stat()).size / 2)
    const byte = Buffer.alloc(1)
    await handle.read(byte, 0, 1, at)
    await handle.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at)
  } finally {
    await handle.close()
  }
}

/** The checksums and the signature of a release. @param release its folder */
export const sumsRules = (release: () => string, signingKey: () => SigningKey): void => {
  test('the sums name every file, and sha256sum accepts all', async () => {
    const files = (await readdir(release())).filter((name) => !name.startsWith(sums)).toSorted()
    expect((await linesOf(release())).map((line) => line.slice(66))).toEqual(files)
    await run('sha256sum', ['--check', '--strict', '--quiet', sums], { cwd: release() })
  })

  test('a second release of the same commit has the same bytes and the same signature', async () => {
    const again = join(testFolder('install-again-'), 'release')
    await makeRelease(again, kinds, signingKey())
    expect(await linesOf(again)).toEqual(await linesOf(release()))
    for (const name of [sums, signature]) {
      expect(await readFile(join(again, name)), name).toEqual(await readFile(join(release(), name)))
    }
  })

  test('one changed bit in any file is refused', async () => {
    const folder = testFolder('install-changed-')
    await copyFile(join(release(), sums), join(folder, sums))
    for (const line of await linesOf(release())) {
      const file = line.slice(66)
      await copyFile(join(release(), file), join(folder, file))
      expect(await refusedIn(folder)).toEqual([])
      await changeByte(join(folder, file))
      expect(await refusedIn(folder)).toEqual([file])
      await rm(join(folder, file))
    }
  })

  test('minisign accepts the signed sums with the public key, and refuses others', async () => {
    const folder = testFolder('install-signed-')
    for (const name of [sums, signature]) await copyFile(join(release(), name), join(folder, name))
    const { minisign, publicKey } = signingKey()
    const verify = () => run(minisign, ['-V', '-p', publicKey, '-m', join(folder, sums)])
    expect((await verify()).stdout).toContain('Signature and comment signature verified')
    await changeByte(join(folder, sums))
    await expect(verify()).rejects.toThrow('Signature verification failed')
    await copyFile(join(release(), sums), join(folder, sums))
    const text = await readFile(join(folder, signature), 'utf8')
    await writeFile(join(folder, signature), text.replace('probe-mesh', 'something-else'))
    await expect(verify()).rejects.toThrow('signature verification failed')
  })
}
