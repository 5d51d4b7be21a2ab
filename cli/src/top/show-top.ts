import { setTimeout as elapse } from 'node:timers/promises'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { render } from 'ink'
import { createElement } from 'react'
import type { Failure } from '../api/failure.ts'
import type { Settings } from '../api/settings.ts'
import type { Context } from '../terminal/context.ts'
import { startFeed } from './feed/start-feed.ts'
import type { Sort } from './model/state.ts'
import { Screen } from './view/screen.ts'
import { createTopStore } from './view/store.ts'
import { symbolsOf } from './view/symbols.ts'

const framesPerSecondMax = 20

export type Terminal = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }

/**
 * Shows the account's checks live until the user quits, on an alternate screen.
 * @returns null if the user quit, or why the API refused this key
 */
export const showTop = async (
  context: Pick<Context, 'fetch' | 'now' | 'signal' | 'environment' | 'out'>,
  { stdin, stdout }: Terminal,
  settings: Settings,
  sort: Sort,
): Promise<Failure | null> => {
  const left = new AbortController()
  const signal = anySignal([context.signal, left.signal])
  const store = createTopStore(context.now, sort)
  const feed = startFeed({
    settings,
    fetch: context.fetch,
    now: context.now,
    signal,
    pause: (ms) => elapse(ms, undefined, { signal }),
    state: store.state,
    dispatch: store.dispatch,
  })
  const isScreenReader = context.environment['INK_SCREEN_READER'] === 'true'
  const screen = render(
    createElement(Screen, {
      store,
      host: new URL(settings.apiUrl).host,
      symbols: symbolsOf(context.environment),
      hasColours: context.out.hasColours,
      onRun: (checkId) => void feed.runNow(checkId),
    }),
    {
      stdin,
      stdout,
      exitOnCtrlC: true,
      patchConsole: true,
      interactive: true,
      // a screen reader needs text that stays in place
      alternateScreen: !isScreenReader,
      isScreenReaderEnabled: isScreenReader,
      incrementalRendering: true,
      maxFps: framesPerSecondMax,
    },
  )
  const onAbort = (): void => screen.unmount()
  context.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const gone = screen.waitUntilExit().then(() => null)
    return await Promise.race([gone, feed.ended])
  } finally {
    context.signal.removeEventListener('abort', onAbort)
    left.abort()
    store.close()
    screen.unmount()
    await screen.waitUntilExit().catch(() => undefined)
    // the sentences stay on screen, and the last line lacks its newline
    if (isScreenReader) stdout.write('\n')
  }
}
