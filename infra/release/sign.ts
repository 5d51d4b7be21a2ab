import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Signs a file with minisign, to `<file>.minisig`. The same key, file and comment give the same signature.
 * @param options.key a file with a secret key; a key with a password asks for it on the terminal
 * @param options.comment signed too, and shown by each check
 * @throws Error where minisign is missing or refuses the key
 */
export const sign = async (
  file: string,
  { key, comment }: { key: string; comment: string },
): Promise<void> => {
  try {
    await run('minisign', ['-S', '-W', '-s', key, '-m', file, '-t', comment])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('minisign is missing: apt install minisign', { cause: error })
    throw error
  }
}
