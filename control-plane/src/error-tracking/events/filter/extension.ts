import type { RawEvent } from '../raw-event.ts'
import { stackOf } from '../stack.ts'

/** Where browsers say that an extension's code lies; Safari hides which extension it is. */
const extension =
  /^(?:chrome|chrome-extension|moz-extension|ms-browser-extension|safari-extension|safari-web-extension|webkit-masked-url):\/\//i

/** No place: code without a file, and the browser's own. */
const nowhere = /^(?:<anonymous>|\[native code\])?$/i

/**
 * Whether an extension of the reader's browser threw it: the first frame that has a place is in one. An
 * extension that only stands further down, such as one that wraps what the page calls, threw nothing.
 */
export const isOfExtension = (event: Pick<RawEvent, 'exceptions' | 'frames'>): boolean => {
  const thrown = stackOf(event).find(({ file }) => file !== null && !nowhere.test(file))
  return thrown !== undefined && extension.test(thrown.file ?? '')
}
