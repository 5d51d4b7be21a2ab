import { join } from 'node:path'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { beforeAll, describe } from 'vitest'
import { billRules } from './bill-rules.ts'
import { singleFileRules } from './single-file-rules.ts'
import { sumsRules } from './sums-rules.ts'
import { terraformRules } from './terraform-rules.ts'
import { kinds, makeRelease } from './testing/make-release.ts'
import { createSigningKey, type SigningKey } from './testing/signing-key.ts'
import { waysRules } from './ways-rules.ts'

/** What people install, from a release that is made once. */

let release = ''
let signingKey: SigningKey

beforeAll(async () => {
  const folder = testFolder('install-')
  signingKey = await createSigningKey(join(folder, 'key'))
  release = join(folder, 'release')
  await makeRelease(release, kinds, signingKey)
}, 900_000)

describe('the terraform provider', () => terraformRules(() => release))
describe('the bill of materials', () => billRules(() => release))
describe('a single file', () => singleFileRules(() => release))
describe('the ways to a first green check', () => waysRules(() => release))
describe('the checksums', () =>
  sumsRules(
    () => release,
    () => signingKey,
  ))
