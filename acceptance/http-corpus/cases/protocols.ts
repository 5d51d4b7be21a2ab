import { head, of, resetsAfter, type CaseClass } from './case.ts'

const other = of('RFC 9112 2.1: a response begins with a status line')
const foreign: CaseClass = {
  name: 'other protocols on the port',
  cases: [
    other('SSH', 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'),
    other('SMTP', '220 mail.example.com ESMTP Postfix\r\n'),
    other('FTP', '220 (vsFTPd 3.0.3)\r\n'),
    other('IMAP', '* OK [CAPABILITY IMAP4rev1] Dovecot ready.\r\n'),
    other('POP3', '+OK Dovecot ready.\r\n'),
    other('MySQL', '\x4a\0\0\0\n5.7.33\0\x08\0\0\0abcdefgh\0'),
    other('Redis', "-ERR unknown command 'GET'\r\n"),
    other('PostgreSQL', 'E\0\0\0\x1fSFATAL\0C0A000\0\0'),
    other('a TLS alert', '\x15\x03\x01\0\x02\x02\x46'),
    other('HTTP/2 settings', '\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\x01'),
    other('RTSP', 'RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n'),
    other('Icecast', 'ICY 200 OK\r\nicy-name: radio\r\n\r\n'),
    other('HTTP/0.9: a page without a head', '<html><body>hello</body></html>'),
    other('JSON without a head', '{"status":"ok"}'),
    other('memcached', 'ERROR\r\nERROR\r\n'),
    other('zeros', '\0'.repeat(100)),
    other('a greeting of VNC', 'RFB 003.008\n'),
    other('AMQP', 'AMQP\0\0\x09\x01'),
    other('NATS', 'INFO {"server_id":"a"} \r\n'),
    other('IRC', ':irc.example.com NOTICE * :*** Looking up\r\n'),
  ],
}

const gone = of('RFC 9112 9.6: a connection that ends without an answer has none')
const ends: CaseClass = {
  name: 'no answer',
  cases: [
    gone('closed at once', ''),
    gone('reset at once', (socket) => void socket.resetAndDestroy()),
    gone('one byte', 'H'),
    gone('half of the protocol', 'HTTP'),
    gone('half a status line', 'HTTP/1.1 2'),
    gone('a CR LF', '\r\n'),
    gone('ten empty lines', '\r\n'.repeat(10)),
    gone('a reset after the status line', resetsAfter(head)),
    gone('a reset inside a header', resetsAfter(`${head}Content-Le`)),
    gone('a reset before the empty line', resetsAfter(`${head}Content-Length: 2\r\n`)),
    gone('a space', ' '),
    gone('silence', () => undefined),
    gone('half a status line, then silence', (socket) => void socket.write('HTTP/1.1 2')),
    gone('a head that does not end', (socket) => void socket.write(`${head}X-A: b\r\n`)),
  ],
}

export const protocols: readonly CaseClass[] = [foreign, ends]
