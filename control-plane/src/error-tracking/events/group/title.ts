import { limits } from '@probe-mesh/contracts/schema/limits'
import type { RawEvent, RawFrame } from '../raw-event.ts'
import { isInApp, stackOf, thrownLast } from '../stack.ts'
import { cutText } from '../cut-text.ts'

/** What an issue is called: type and value, or the message, one line of it. Pure. */
export const titleOf = (event: RawEvent): string => {
  const thrown = thrownLast(event)
  const parts = [thrown?.type, thrown?.value ?? event.message].map((text) => firstLine(text ?? ''))
  const title = parts.filter((part) => part !== '').join(': ')
  return cutText(title === '' ? '(no message)' : title, limits.nameCharactersMax)
}

/** The function that is blamed: where the application's own code threw, else the transaction, else where it was thrown. */
export const culpritOf = (event: RawEvent): string | null => {
  const stack = stackOf(event)
  const own = stack.find((frame) => isInApp(frame, stack))
  const culprit = (own && blamed(own)) || event.transaction || (stack[0] && blamed(stack[0]))
  return culprit ? cutText(culprit, limits.nameCharactersMax) : null
}

const blamed = (frame: RawFrame): string => {
  const place = firstLine(frame.module ?? frame.file ?? '')
  const name = firstLine(frame.function ?? '')
  return name === '' || place === '' ? name || place : `${name} (${place})`
}

const firstLine = (text: string): string =>
  text
    .slice(0, 1_000)
    .split(/[\r\n\u2028\u2029]/)
    .map((line) => line.trim())
    .find((line) => line !== '') ?? ''
