import { readFileSync, statSync } from 'node:fs'
import { agentIdOfToken } from '@probe-mesh/contracts/account/api-key'

const fileBytesMax = 64 * 1024
const otherUsersMask = 0o077

/** What a private agent's file of credentials says beside its comments. */
const tokenIn = (text: string): string | null => {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const [token = '', ...more] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return more.length === 0 && agentIdOfToken(token) !== null ? token : null
}

/**
 * The token of a private agent from its file, which is read again at each use, so that it can be changed
 * under the agent; while it cannot be read, what it held last counts.
 * @throws Error, without what the file holds, where it cannot be read or holds no token
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
        // it is being written, or gone: what was good may still be
      }
      return last ?? first
    },
  }
}
