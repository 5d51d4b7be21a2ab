import { execFile } from 'node:child_process'
import { lchown, lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const probeTimeoutMs = 5_000

/**
 * How to start Postgres, which refuses to run as root: `prefix` precedes the command, `identity` goes into
 * the spawn options, and the files must belong to `owner` (null: no change).
 */
export type RunAs = {
  readonly prefix: readonly string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
  readonly owner: Account | null
}

export type Account = { readonly uid: number; readonly gid: number }

/**
 * Decides by the user of this process. Root prefers a user namespace: inside it root looks like `account`,
 * outside it root keeps the files, and no parent folder has to be opened to others.
 */
export const decideRunAs = (facts: {
  uid: number | null
  account: Account | null
  userNamespaces: boolean
}): RunAs => {
  if (facts.uid !== 0) return { prefix: [], identity: {}, owner: null }
  if (facts.account === null) {
    throw new Error(
      'Postgres refuses to run as root, and this system has no other account: run as another user, or set DATABASE_URL.',
    )
  }
  const { uid, gid } = facts.account
  return facts.userNamespaces
    ? { prefix: unshare(facts.account), identity: {}, owner: { uid: 0, gid: 0 } }
    : { prefix: [], identity: { uid, gid }, owner: { uid, gid } }
}

/** Explains which account needs access to the files; empty if it is the current user. */
export const explainRunAs = ({ identity }: RunAs): string =>
  identity.uid === undefined
    ? ''
    : ` Postgres refuses to be root, and this system has no user namespaces, so it runs as uid ${identity.uid}: that account must be able to reach the binaries and the data directory.`

/** Finds out how this system can run Postgres. */
export const findRunAs = async (): Promise<RunAs> => {
  const uid = process.getuid?.() ?? null
  if (uid !== 0) return decideRunAs({ uid, account: null, userNamespaces: false })
  const account = pickAccount(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  return decideRunAs({ uid, account, userNamespaces: await hasUserNamespaces(account) })
}

/**
 * Picks an existing account, because initdb resolves its name: "postgres", else the unprivileged account of
 * the system, else the first that is not root.
 * @param passwd the text of `/etc/passwd`
 */
export const pickAccount = (passwd: string): Account | null => {
  const accounts = passwd.split('\n').flatMap((line) => {
    const match = /^([^:]+):[^:]*:(\d+):(\d+):/.exec(line)
    if (match === null || match[2] === '0') return []
    return [{ name: match[1], uid: Number(match[2]), gid: Number(match[3]) }]
  })
  const pick =
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody') ??
    accounts[0]
  return pick === undefined ? null : { uid: pick.uid, gid: pick.gid }
}

const unshare = ({ uid, gid }: Account): string[] => [
  'unshare',
  '-U',
  `--map-user=${uid}`,
  `--map-group=${gid}`,
]

const hasUserNamespaces = async (account: Account | null): Promise<boolean> => {
  if (account === null) return false
  const [command = '', ...flags] = unshare(account)
  return run(command, [...flags, 'true'], { timeout: probeTimeoutMs }).then(
    () => true,
    () => false,
  )
}

/**
 * Changes the owner of a folder and its content to the account of Postgres. Does nothing if the folder
 * already has that owner, so that a restart does not walk the cluster.
 */
export const giveTo = async (owner: Account | null, path: string): Promise<void> => {
  if (owner === null) return
  const stat = await lstat(path).catch(() => null)
  if (stat === null || (stat.uid === owner.uid && stat.gid === owner.gid)) return
  if (stat.isDirectory()) {
    for (const name of await readdir(path)) await giveTo(owner, join(path, name))
  }
  // The folder is last, so that an interrupted change starts over.
  await lchown(path, owner.uid, owner.gid)
}
