import http from 'node:http'

/** What Node's own server does with the trivial call at most: no router, no framework. */
http
  .createServer((_request, response) => {
    const body = JSON.stringify({ text: 'Hello from Keel', number: 42 })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
  .listen(Number(process.argv[2]), () => process.stdout.write('listening\n'))
