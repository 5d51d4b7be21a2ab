import { open } from 'node:fs/promises'

export const secretCharactersMin = 16
const secretBytesMax = 4_096
const otherUsersMask = 0o077

/** What an archive is sealed with, and what the operator should be told of how it is kept. */
export type ReadSecret =
  | { ok: true; secret: string; warning: string | null }
  | { ok: false; problem: string }

/** Reads the key from its file, or from the environment. No problem repeats it. */
export const readSecret = async (
  file: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadSecret> => {
  if (file === null) return judged('BACKUP_KEY', environment['BACKUP_KEY'] ?? '', null)
  try {
    const handle = await open(file, 'r')
    try {
      const { mode, size } = await handle.stat()
      if (size > secretBytesMax) return { ok: false, problem: `${file} is too large to be a key` }
      const isOpen = process.platform !== 'win32' && (mode & otherUsersMask) !== 0
      const warning = isOpen
        ? `${file} can be read by other users of this machine: chmod 600`
        : null
      return judged(file, await handle.readFile('utf8'), warning)
    } finally {
      await handle.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { ok: false, problem: `${file} cannot be read (${code})` }
  }
}

const judged = (name: string, text: string, warning: string | null): ReadSecret => {
  const secret = text.trim()
  return secret.length < secretCharactersMin
    ? { ok: false, problem: `${name} must hold ${secretCharactersMin} characters or more` }
    : { ok: true, secret, warning }
}
