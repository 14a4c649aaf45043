import { Controller, Get } from '@nestjs/common'

@Controller('echo')
export class EchoController {
  @Get()
  echo(): object {
    return { text: 'Hello', number: 42 }
  }
}
