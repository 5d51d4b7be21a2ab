import { greets, type Fault } from './start-tls-usual.ts'

/** Servers of IMAP and POP3 that do not start TLS. */
export const mailFaults: Record<'imap' | 'pop3', Fault[]> = {
  imap: [
    [
      'says goodbye',
      greets('* BYE too many connections\r\n'),
      'starttls_refused',
      'the server refuses the connection: "* BYE too many connections"',
    ],
    [
      'knows the client by its address',
      greets('* PREAUTH welcome\r\n'),
      'starttls_refused',
      'the server refuses the connection: "* PREAUTH welcome"',
    ],
    [
      'is a mail server for SMTP',
      greets('220 mx ESMTP\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "220 mx ESMTP  "',
    ],
    [
      'is an SSH server',
      greets('SSH-2.0-OpenSSH_9.6\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "SSH-2.0-OpenSSH_9.6  "',
    ],
    [
      'is a web server',
      greets('HTTP/1.1 400 Bad Request\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid IMAP: "HTTP/1.1 400 Bad Request  "',
    ],
    [
      'answers before it was asked',
      greets('* OK ready\r\na1 OK begin\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "a1 OK begin  "',
    ],
    [
      'does not know the command',
      { greeting: '* OK\r\n', replies: ['a1 BAD unknown command\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "a1 BAD unknown command"',
    ],
    [
      'has no certificate',
      { greeting: '* OK\r\n', replies: ['a1 NO TLS is not configured\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "a1 NO TLS is not configured"',
    ],
    [
      'says goodbye to the command',
      { greeting: '* OK\r\n', replies: ['* BYE\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "* BYE"',
    ],
    [
      'answers another command',
      { greeting: '* OK\r\n', replies: ['a9 OK done\r\n'] },
      'starttls_bad_reply',
      'the reply to STARTTLS is not valid IMAP: "a9 OK done  "',
    ],
    [
      'closes at once',
      { greeting: (socket) => void socket.end() },
      'starttls_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes within its greeting',
      { greeting: (socket) => void socket.end('* OK rea') },
      'starttls_closed',
      'the connection was closed within the greeting: "* OK rea"',
    ],
    [
      'has a greeting without end',
      { greeting: 'x'.repeat(9_000) },
      'starttls_bad_reply',
      'the greeting has more than 8 KB',
    ],
    [
      'sends lines without end',
      { greeting: '* OK\r\n', replies: ['* CAPABILITY IMAP4rev1\r\n'.repeat(500)] },
      'starttls_bad_reply',
      'the reply to STARTTLS has more than 8 KB',
    ],
  ],
  pop3: [
    [
      'refuses the connection',
      greets('-ERR [IN-USE] busy\r\n'),
      'starttls_refused',
      'the server refuses the connection: "-ERR [IN-USE] busy"',
    ],
    [
      'does not know STLS',
      { greeting: '+OK\r\n', replies: ['-ERR unknown command\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "-ERR unknown command"',
    ],
    [
      'refuses without a text',
      { greeting: '+OK\r\n', replies: ['-ERR\r\n'] },
      'starttls_refused',
      'the server refuses to start TLS: "-ERR"',
    ],
    [
      'is an IMAP server',
      greets('* OK ready\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid POP3: "* OK ready  "',
    ],
    [
      'has another word',
      greets('+OKAY\r\n'),
      'starttls_bad_reply',
      'the greeting is not valid POP3: "+OKAY  "',
    ],
    [
      'answers before it was asked',
      greets('+OK ready\r\n+OK begin\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "+OK begin  "',
    ],
    [
      'greets twice',
      greets('+OK one\r\n+OK two\r\n'),
      'starttls_bad_reply',
      'unexpected data after the greeting: "+OK two  "',
    ],
    ['sends an empty line', greets('\r\n'), 'starttls_bad_reply', 'the greeting is not valid POP3: "  "'],
    [
      'closes at once',
      { greeting: (socket) => void socket.end() },
      'starttls_closed',
      'the connection was closed before the greeting',
    ],
    [
      'closes instead of an answer',
      { greeting: '+OK\r\n', replies: [(socket) => void socket.end()] },
      'starttls_closed',
      'the connection was closed before the reply to STLS',
    ],
    [
      'asks for a line more',
      { greeting: '+OK\r\n', replies: ['+ \r\n'] },
      'starttls_bad_reply',
      'the reply to STLS is not valid POP3: "+   "',
    ],
  ],
}
