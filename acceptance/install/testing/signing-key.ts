import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'

/** A key of minisign for tests, without a password. */
export type SigningKey = {
  readonly minisign: string
  /** A folder with only minisign, for PATH. */
  readonly programs: string
  readonly publicKey: string
  readonly secretKey: string
}

/** Makes a key as the ceremony does. @param folder in which it is kept */
export const createSigningKey = async (folder: string): Promise<SigningKey> => {
  const programs = join(folder, 'programs')
  await mkdir(programs, { recursive: true })
  const minisign = join(programs, 'minisign')
  await symlink(await findDebianProgram('minisign'), minisign)
  const [publicKey, secretKey] = [join(folder, 'minisign.pub'), join(folder, 'minisign.key')]
  await promisify(execFile)(minisign, ['-G', '-W', '-p', publicKey, '-s', secretKey])
  return { minisign, programs, publicKey, secretKey }
}
