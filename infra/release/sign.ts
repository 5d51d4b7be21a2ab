import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

/**
 * Signs a file with minisign, to `<file>.minisig`. The same key, file and comment give the same signature.
 * @param options.key a file with a secret key; minisign asks for the password of one that has it, on the terminal
 * @param options.comment signed too, and shown by each check
 * @throws Error where minisign is missing or refuses the key
 */
export const sign = async (
  file: string,
  { key, comment }: { key: string; comment: string },
): Promise<void> => {
  const without = (await hasPassword(key)) ? [] : ['-W']
  const minisign = spawn('minisign', ['-S', ...without, '-s', key, '-m', file, '-t', comment], {
    stdio: ['inherit', 'ignore', 'inherit'],
  })
  const [code] = (await once(minisign, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`minisign did not sign ${file}: it ended with ${code}`)
}

/** Why a key cannot sign on this machine. */
export const problemsOfSigning = async (key: string): Promise<string[]> => {
  const problems: string[] = []
  await readFile(key).catch(() => problems.push(`--key ${key} cannot be read`))
  const minisign = spawn('minisign', ['-v'], { stdio: 'ignore' })
  await once(minisign, 'exit').catch(() => problems.push('minisign is missing: apt install minisign'))
  return problems
}

/** A key file has a comment, then its bytes: the algorithm, and how its password becomes a key (two zeros: none). */
const hasPassword = async (key: string): Promise<boolean> => {
  const [, text = ''] = (await readFile(key, 'utf8')).split('\n')
  const bytes = Buffer.from(text, 'base64')
  return bytes.length < 4 || bytes.readUInt16BE(2) !== 0
}
