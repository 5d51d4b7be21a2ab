import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testFolder } from '../testing/folder.ts'
import { entriesOf, tarGz } from './archive.ts'
import { changelogOf } from './changelog.ts'
import { sumsOf } from './sums.ts'

const run = promisify(execFile)
const folder = testFolder('release-')

test('an archive of the same files is the same, in any order, and its programs may be executed', async () => {
  const from = join(folder, 'files')
  await mkdir(join(from, 'bin'), { recursive: true })
  await writeFile(join(from, 'bin/a'), '#!/bin/sh\necho started\n', { mode: 0o700 })
  await writeFile(join(from, 'b.txt'), 'b', { mode: 0o600 })
  const entries = await entriesOf(from, 'package')
  const [one, other] = [await tarGz(entries, new Date(0)), await tarGz(entries.toReversed(), new Date(0))]
  expect(one.equals(other)).toBe(true)
  await writeFile(join(folder, 'a.tar.gz'), one)
  const { stdout } = await run('tar', ['-tvf', join(folder, 'a.tar.gz')], {
    env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
  })
  expect(stdout).toBe(
    `-rw-r--r-- root/root         1 1970-01-01 00:00 package/b.txt
-rwxr-xr-x root/root        23 1970-01-01 00:00 package/bin/a
`,
  )
})

test('sha256sum accepts the sums of a folder, and refuses any file with a changed byte', async () => {
  const out = join(folder, 'out')
  await mkdir(out)
  for (const name of ['b', 'a']) await writeFile(join(out, name), `file ${name}`)
  await writeFile(join(out, 'SHA256SUMS'), await sumsOf(out))
  // the sums, and their signature, are not among the files
  await writeFile(join(out, 'SHA256SUMS.minisig'), 'signature')
  const check = () => run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out })
  expect((await check()).stdout).toBe('a: OK\nb: OK\n')
  expect(await sumsOf(out)).toBe(await readFile(join(out, 'SHA256SUMS'), 'utf8'))
  await writeFile(join(out, 'b'), 'file c')
  await expect(check()).rejects.toMatchObject({ stdout: 'a: OK\nb: FAILED\n' })
})

test.for([
  ['1.0.0', '# Probe Mesh 1.0.0\n\nfirst\n'],
  ['1.1.0', '# Probe Mesh 1.1.0\n\nnext\n'],
  // the section of a pre-release is another version's
  ['2.0.0', '# Probe Mesh 2.0.0\n\nnext\n'],
])('the changelog of %s is its own section, or the unreleased one', ([version, expected]) => {
  const text =
    '# Changelog\n\nWords.\n\n## Unreleased\n\nnext\n\n## 1.0.0, 2026-12-01\n\nfirst\n\n## 2.0.0-rc.1\n\ncandidate\n'
  expect(changelogOf(text, version ?? '')).toBe(expected)
})

test('a changelog without a section for a version ends the release', () => {
  expect(() => changelogOf('# Changelog\n', '1.0.0')).toThrow('no section of 1.0.0')
})
