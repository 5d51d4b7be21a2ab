import type { ErrorPlatform } from '@probe-mesh/contracts/error-tracking/error-project'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** What installs an SDK and what starts it, to be copied; a DSN has nothing that a string would end by. */
export const setUpLines = (
  platform: ErrorPlatform,
  dsn: string,
): { install: string | null; start: string } => {
  switch (platform) {
    case 'node':
      return {
        install: 'npm install @sentry/node',
        start: `require('@sentry/node').init({ dsn: '${dsn}' })`,
      }
    case 'browser':
      return {
        install: 'npm install @sentry/browser',
        start: `import('@sentry/browser').then((sentry) => sentry.init({ dsn: '${dsn}' }))`,
      }
    case 'python':
      return {
        install: 'pip install sentry-sdk',
        start: `import sentry_sdk; sentry_sdk.init(dsn="${dsn}")`,
      }
    case 'other':
      return { install: null, start: dsn }
  }
}

/** The lines that make an SDK report to a project. */
export const setUp = (platform: ErrorPlatform, dsn: string): Html => {
  const { install, start } = setUpLines(platform, dsn)
  return html`
    ${
      install !== null &&
      html`<p>Add the SDK to what you run:</p>
        <pre><code>${install}</code></pre>`
    }
    <p>${install === null ? 'Give any Sentry SDK this DSN:' : 'Start it before anything else of yours:'}</p>
    <pre><code>${start}</code></pre>
  `
}
