import type { TypeForm } from '@probe-mesh/web/src/html/components/field'

export const browserForm: TypeForm = {
  name: 'Browser',
  about: 'Opens a page in Chromium and checks its title, text, errors and speed.',
  icon: 'browser',
  groups: [
    {
      legend: 'Target',
      fields: [{ name: 'settings.url', label: 'URL', kind: 'text', isRequired: true, isUrl: true }],
    },
    {
      legend: 'Assertions',
      fields: [
        { name: 'settings.titleContains', label: 'Title contains', kind: 'text' },
        { name: 'settings.textContains', label: 'Page shows', kind: 'text' },
        { name: 'settings.failOnConsoleErrors', label: 'Fail on console errors', kind: 'flag' },
        {
          name: 'settings.lcpMsMax',
          label: 'Largest contentful paint, at most (ms)',
          kind: 'number',
          hint: 'Empty: measured, but never a failure.',
        },
      ],
      isFolded: true,
    },
  ],
}
