import { setTimeout as elapse } from 'node:timers/promises'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { render } from 'ink'
import { createElement } from 'react'
import type { Failure } from '../api/failure.ts'
import type { Settings } from '../api/settings.ts'
import type { World } from '../terminal/world.ts'
import { startFeed } from './feed/start-feed.ts'
import { createTopStore } from './store.ts'
import { visibleIds } from './view/frame.ts'
import { Screen } from './view/screen.ts'
import { symbolsOf } from './view/symbols.ts'

const framesPerSecondMax = 20

export type Terminal = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }

/**
 * Shows the account's checks live until the user leaves, on a screen of its own that is gone after.
 * @returns null where the user left, or why the API refused this key
 */
export const showTop = async (
  world: Pick<World, 'fetch' | 'now' | 'signal' | 'environment' | 'out'>,
  { stdin, stdout }: Terminal,
  settings: Settings,
): Promise<Failure | null> => {
  const left = new AbortController()
  const signal = anySignal([world.signal, left.signal])
  const store = createTopStore(world.now)
  const size = () => ({ columns: stdout.columns, rows: stdout.rows })
  const feed = startFeed({
    settings,
    fetch: world.fetch,
    now: world.now,
    signal,
    pause: (ms) => elapse(ms, undefined, { signal }),
    state: store.state,
    visible: () => visibleIds(store.state(), size(), world.now() + store.state().skewMs),
    tell: store.tell,
  })
  const isRead = world.environment['INK_SCREEN_READER'] === 'true'
  const screen = render(
    createElement(Screen, {
      store,
      host: new URL(settings.apiUrl).host,
      symbols: symbolsOf(world.environment),
      hasColours: world.out.hasColours,
      onRun: (checkId) => void feed.runNow(checkId),
    }),
    {
      stdin,
      stdout,
      exitOnCtrlC: true,
      patchConsole: true,
      interactive: true,
      // a screen reader reads what stands where it was
      alternateScreen: !isRead,
      isScreenReaderEnabled: isRead,
      incrementalRendering: true,
      maxFps: framesPerSecondMax,
    },
  )
  const onAbort = (): void => screen.unmount()
  world.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const gone = screen.waitUntilExit().then(() => null)
    return await Promise.race([gone, feed.ended])
  } finally {
    world.signal.removeEventListener('abort', onAbort)
    left.abort()
    store.close()
    screen.unmount()
    await screen.waitUntilExit().catch(() => undefined)
    // the sentences stay, and their last line has not ended
    if (isRead) stdout.write('\n')
  }
}
