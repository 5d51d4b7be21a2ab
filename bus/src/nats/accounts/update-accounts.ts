import { connectAsSystem } from '../connections.ts'
import { unavailable } from '../link.ts'
import type { AccountToken } from './accounts.ts'

const connectMsMax = 5_000
const answerMsMax = 5_000

/**
 * Sends changed accounts to running servers: revoked users are disconnected at once. The servers share the
 * update and keep it across restarts.
 * @param credentials the text of the system user's credentials file
 * @throws BusUnavailable when no server answers, Error when one refuses the update
 */
export const updateAccounts = async (
  servers: readonly string[],
  credentials: string,
  accounts: readonly AccountToken[],
): Promise<void> => {
  const name = 'operator'
  const connection = await connectAsSystem({ servers, credentials, name, msMax: connectMsMax })
  try {
    for (const { token } of accounts) {
      const answer = await connection
        .request('$SYS.REQ.CLAIMS.UPDATE', token, { timeout: answerMsMax })
        .catch((error: unknown) => {
          throw unavailable(error)
        })
      const problem = problemIn(answer.json())
      if (problem !== null) throw new Error(`the server refused an account update: ${problem}`)
    }
  } finally {
    await connection.close()
  }
}

/** `{data: {code: 200}}`, or `{error: {description}}`. */
const problemIn = (answer: unknown): string | null => {
  const { error } = Object(answer)
  return error === undefined ? null : String(Object(error).description ?? 'no reason given')
}
