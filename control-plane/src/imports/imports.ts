import type { ImportDraft, ImportInput } from '@probe-mesh/contracts/check/check-import'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { secretsPerAccountMax } from '@probe-mesh/contracts/secret/secret'
import { lockAccount } from '../accounts/accounts-store.ts'
import type { Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { insertNewSecrets, newSecretsOf } from '../secrets/new-secrets.ts'
import { findSecrets } from '../secrets/secrets-store.ts'
import type { SecretContext } from '../secrets/secrets.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { ImportReader } from './import-reader.ts'
import type { FoundSecret } from './draft/found-secrets.ts'

export type ImportContext = SecretContext & { readonly imports: ImportReader }

/**
 * Reads a text as drafts of checks, and stores the credentials that it found as secrets of their hosts: all or none.
 * SV-2001 with every reason why it cannot be read, SV-3002 for more secrets than the account may have.
 */
export const readImport = async (
  context: ImportContext,
  writer: Writer,
  { body }: { body: ImportInput },
): Promise<ImportDraft | Refusal> => {
  const { accountId } = writer
  const known = await inAccount(context.sql, accountId, (tx) => findSecrets(tx, accountId))
  const taken = known.map(({ name }) => name.toLowerCase())
  const read = await context.imports.read(accountId, { ...body, taken })
  if (isRefusal(read)) return read
  if ('problems' in read) {
    return refuse('SV-2001', { errors: read.problems.map((message) => ({ path: 'text', message })) })
  }
  return read.secrets.length === 0 ? read.draft : store(context, writer, read.draft, read.secrets)
}

const store = async (
  context: ImportContext,
  writer: Writer,
  draft: ImportDraft,
  found: readonly FoundSecret[],
): Promise<ImportDraft | Refusal> => {
  const { accountId } = writer
  const { vault } = context
  const createdAtMs = context.now()
  const secrets = newSecretsOf(found, { accountId, agents: [], createdAtMs })
  const audit = {
    action: 'createSecret',
    resourceType: 'secret',
    resourceId: () => secrets.map(({ id }) => id),
    answer: () => draft,
  }
  return write(context, writer, audit, async (tx) => {
    // the lock keeps names and count valid until the inserts
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    const others = await findSecrets(tx, accountId)
    const names = new Set(others.map(({ name }) => name.toLowerCase()))
    if (secrets.some(({ name }) => names.has(name))) return changedMeanwhile
    if (others.length + secrets.length > secretsPerAccountMax) return tooMany(secrets.length)
    await insertNewSecrets(tx, vault, secrets)
    return draft
  })
}

const changedMeanwhile = refuse('SV-3002', {
  message: 'Another import stored secrets at the same time. Import the text again.',
})

const tooMany = (count: number): Refusal =>
  refuse('SV-3002', {
    message: `The import has ${count} credentials; the limit is ${secretsPerAccountMax} secrets. Delete some that no check uses first.`,
  })
