// A process that executes one claimed request and is killed during it: `<url> <account> <where>`.
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { connectPostgres } from '../../stores/postgres/connect.ts'
import { claimRequest } from './claims.ts'
import { write } from './write.ts'

const [databaseUrl = '', accountId = '', where = ''] = process.argv.slice(2)
const die = (point: string): void => {
  if (point === where) process.kill(process.pid, 'SIGKILL')
}

const context = { sql: connectPostgres(databaseUrl, { role: 'probe_mesh_account' }), now: Date.now }
const request = { accountId, key: where, route: 'POST /v1/tests', body: '{}', workMsMax: 1_000 }
const claim = await claimRequest(context, request)
if (isRefusal(claim) || claim.kind !== 'claimed') throw new Error('the key is claimed already')
die('before the write')
const writer = {
  accountId,
  actor: { kind: 'operator' },
  claim: { id: claim.claimId, success: 201 },
} as const
const name = { action: where, resourceType: 'test', resourceId: () => 'test' }
await write(context, writer, name, async (tx) => {
  await tx`update accounts set name = ${where} where id = ${accountId}`
  die('during the write')
  return where
})
die('after the write')
