import { fmtCreds, fromSeed } from '@nats-io/jwt'

/** The text of a credentials file, which clients of NATS read: who one is, and the secret that shows it. */
export const credentialsFile = (token: string, user: string): string => {
  const pair = fromSeed(new TextEncoder().encode(user))
  try {
    return new TextDecoder().decode(fmtCreds(token, pair))
  } finally {
    pair.clear()
  }
}
