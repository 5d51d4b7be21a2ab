import { noticeAdvice } from '@probe-mesh/contracts/mesh/mesh'
import type { ChannelMessage } from '../notifications/message.ts'
import { durationText } from '../status/duration-text.ts'
import { instantText, oneLine } from '../alerts/alert-message.ts'
import type { ToldNotice } from './follow-notices.ts'

/** The message of a notice of the mesh, when it begins and when it is over. Pure. */
export const composeNotice = (
  { region, what, text, sinceMs }: ToldNotice,
  event: 'alert' | 'recovery',
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): ChannelMessage => {
  const said = oneLine(text)
  const since = instantText(sinceMs)
  return {
    event,
    title: event === 'alert' ? said : `Over: ${said}`,
    text:
      event === 'alert'
        ? `Since ${since}. ${noticeAdvice[what]}`
        : `It began at ${since} and is not so any more, ${durationText(nowMs - sinceMs)} later.`,
    facts: [
      { name: 'Region', value: region },
      { name: 'Since', value: since },
    ],
    url: `${publicUrl}/dashboard/mesh`,
    at: new Date(nowMs).toISOString(),
    alertKey: `mesh:${region}:${what}`,
  }
}
