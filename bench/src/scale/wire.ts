import type { Region } from '@probe-mesh/contracts/reading/regions'
import { subjects } from '@probe-mesh/contracts/mesh/subjects'

/** The subject of a reply, as long as the client makes them. */
const replySubject = '_INBOX.'.length + 22 + 1 + 8

/**
 * A message as it travels from an agent to the server, bytes: NATS' `HPUB subject reply
 * header-length length`, the header with the message's id, the payload (docs.nats.io, client protocol).
 */
export const messageFrameBytes = (
  partition: number,
  region: Region,
  messageId: string,
  data: Uint8Array,
): number => {
  const header = `NATS/1.0\r\nNats-Msg-Id: ${messageId}\r\n\r\n`.length
  const subject = subjects.readings(partition, region).length
  const lengths = `${header} ${header + data.length}`.length
  return 'HPUB '.length + subject + 1 + replySubject + 1 + lengths + 2 + header + data.length + 2
}
