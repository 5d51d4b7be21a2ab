import { ErrorPlatform } from '../contracts/error-project.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { platformNames } from './error-words.ts'

/** The commands that install and start an SDK. A DSN has no character that ends a string. */
const setUpLines = (platform: ErrorPlatform, dsn: string): { install: string | null; start: string } => {
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

const stepsOf = (platform: ErrorPlatform, dsn: string): Html => {
  const { install, start } = setUpLines(platform, dsn)
  return html`${
      install !== null &&
      html`<p>Install the SDK:</p>
        <pre data-copy="the command"><code>${install}</code></pre>`
    }
    <p>${install === null ? 'Use this DSN in any Sentry SDK:' : 'Start it before your own code:'}</p>
    <pre data-copy="${install === null ? 'the DSN' : 'the line'}"><code>${start}</code></pre>`
}

/** How each SDK is set up to report to a project; that of the project's platform is open. */
export const setUp = (platform: ErrorPlatform, dsn: string): Html =>
  html`<div class="folds">
    ${[platform, ...ErrorPlatform.options.filter((each) => each !== platform)].map(
      (each) =>
        html`<details name="sdk" ${flag('open', each === platform)}>
          <summary>${platformNames[each]}</summary>
          ${stepsOf(each, dsn)}
        </details>`,
    )}
  </div>`
