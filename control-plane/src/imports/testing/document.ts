import { readOpenApi } from '../openapi/read-openapi.ts'
import { sendByProbe, type Recorder } from './wire.ts'

export const ok = { 200: { description: 'ok' } }
export type Doc = Record<string, unknown>

/** What the probe sends for the operations of a document, and what the import says of it. */
export const sentFor = async (recorder: Recorder, document: Doc) => {
  const draft = readOpenApi(JSON.stringify(document), [], null)
  if ('problems' in draft) throw new Error(draft.problems.join(' '))
  recorder.take()
  for (const { check } of draft.operations) {
    const secrets = draft.neededSecrets.map(({ name, hosts }) => ({ name, hosts, value: `of-${name}` }))
    await sendByProbe(check, secrets)
  }
  const sent = recorder.take().map(({ method, target, headers, body }) => ({
    line: `${method} ${target}`,
    ...(body !== '' && { body }),
    ...(headers['content-type'] !== undefined && { type: headers['content-type'][0] }),
    ...(headers['cookie'] !== undefined && { cookie: headers['cookie'][0] }),
    ...(headers['x-ids'] !== undefined && { ids: headers['x-ids'][0] }),
    ...(headers['authorization'] !== undefined && { authorization: headers['authorization'][0] }),
  }))
  return {
    sent,
    leftOut: draft.leftOut.map(({ operation, why }) => `${operation}: ${why}`),
    warnings: draft.warnings,
  }
}
