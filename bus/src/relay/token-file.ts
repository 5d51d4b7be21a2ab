import { readFileSync, statSync } from 'node:fs'
import { agentIdOfToken } from '@probe-mesh/contracts/account/key-text'

const fileBytesMax = 64 * 1024
const otherUsersMask = 0o077

/** The token in a private agent's credentials file, apart from comments. */
const tokenIn = (text: string): string | null => {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const [token = '', ...more] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return more.length === 0 && agentIdOfToken(token) !== null ? token : null
}

/**
 * The token of a private agent from its file. The file is read at each use, so that the token can be replaced
 * while the agent runs; while it cannot be read, the last token counts.
 * @throws Error, without the file's content, when it cannot be read or has no token
 */
export const openTokenFile = (
  path: string,
): { agentId: string; token: () => string; warning: string | null } => {
  const { size, mode } = statSync(path)
  const text = size <= fileBytesMax ? readFileSync(path, 'utf8') : ''
  let last = tokenIn(text)
  const agentId = last === null ? null : agentIdOfToken(last)
  if (last === null || agentId === null) {
    throw new Error(`${path} holds no token of a private agent (sv_a_...)`)
  }
  const first = last
  const isOpen = process.platform !== 'win32' && (mode & otherUsersMask) !== 0
  return {
    agentId,
    warning: isOpen ? `${path} can be read by other users of this machine: chmod 600` : null,
    token: () => {
      try {
        last = tokenIn(readFileSync(path, 'utf8')) ?? last
      } catch {
        // the file is being written, or gone: the last credentials may still be valid
      }
      return last ?? first
    },
  }
}
