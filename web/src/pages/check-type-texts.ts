import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { IconName } from '../html/components/icon.ts'

/** Each type with its name, purpose and icon, in display order. */
export const typeTexts: Readonly<Record<CheckType, { name: string; about: string; icon: IconName }>> = {
  http: {
    name: 'HTTP',
    about: 'Requests a URL and checks the status, the body or a JSON value.',
    icon: 'http',
  },
  multistep: {
    name: 'Journey',
    about: 'Up to ten requests in order with one cookie jar, such as a login and a checkout.',
    icon: 'multistep',
  },
  tcp: { name: 'TCP', about: 'Connects to a port and can check the answer.', icon: 'tcp' },
  dns: { name: 'DNS', about: 'Looks up a record of a name.', icon: 'dns' },
  smtp: {
    name: 'SMTP',
    about: 'Checks the greeting, TLS and AUTH of a mail server. Sends no mail.',
    icon: 'smtp',
  },
  browser: {
    name: 'Browser',
    about: 'Opens a page in Chromium and checks its title, text, errors and speed.',
    icon: 'browser',
  },
  heartbeat: {
    name: 'Heartbeat',
    about: 'Your job pings this service. A missing ping is a failure.',
    icon: 'heartbeat',
  },
}
