import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Portuguese. */
export const pt: BuiltInTexts = {
  texts: {
    greeting: 'Olá,',
    closing: 'Com os melhores cumprimentos,',
    offer: 'Se isto não responder à sua pergunta, responda a esta mensagem e diga-nos o que falta.',
    thanks: 'De nada. Obrigado por nos informar.',
    welcome: 'Obrigado pela sua mensagem. Por favor, diga-nos o que podemos fazer por si.',
    masked:
      'Por favor, não nos envie números de cartão, códigos de segurança ou palavras-passe. Ocultámos os que estavam na sua mensagem.',
    handover:
      'Obrigado pela sua mensagem. Queremos que receba uma boa resposta, por isso está marcada para ser lida por uma pessoa da nossa equipa.',
    unresolved:
      'Obrigado por nos escrever novamente. Lamentamos que a nossa última resposta não tenha ajudado. A sua mensagem está marcada para ser lida por uma pessoa da nossa equipa.',
    upset:
      'Obrigado por nos contar. Lamentamos o que aconteceu. A sua mensagem está marcada para ser lida por uma pessoa da nossa equipa.',
    language:
      'Obrigado pela sua mensagem. Não podemos responder automaticamente no seu idioma, por isso está marcada para ser lida por uma pessoa da nossa equipa.',
    human:
      'Obrigado pela sua mensagem. Gostaria de falar com uma pessoa: a sua mensagem está marcada para ser lida por um membro da nossa equipa.',
    not_found:
      'Obrigado pela sua mensagem. Não encontramos o que indica. Por favor, verifique e escreva-nos novamente.',
  },
  concerns: {
    self_harm:
      'Obrigado por nos contar isto. Parece estar a passar por algo muito difícil, e não tem de o enfrentar sem ajuda. Se puder estar em perigo, ligue já para o número de emergência: 112 na Europa. Em findahelpline.com encontra uma linha de apoio no seu país. A sua mensagem está marcada para ser lida em primeiro lugar por uma pessoa da nossa equipa.',
    injury:
      'Lamentamos muito ler isto e esperamos que todos estejam em segurança. Se alguém estiver ferido ou se sentir mal, procure primeiro ajuda médica; em caso de emergência, ligue para o número de emergência: 112 na Europa. Deixe de usar o produto e guarde-o com a embalagem. A sua mensagem está marcada como urgente para ser lida por uma pessoa da nossa equipa.',
    threat:
      'Recebemos a sua mensagem, e está marcada para ser lida por uma pessoa da nossa equipa. Se alguém estiver em perigo, ligue para o número de emergência: 112 na Europa.',
    fraud:
      'Obrigado por nos avisar; levamos isto a sério. Se for possível que tenha sido retirado dinheiro sem o seu consentimento, peça ao seu banco que bloqueie o cartão ou o pagamento e altere a palavra-passe da sua conta. Não nos envie palavras-passe nem números de cartão completos, e não siga ligações de mensagens duvidosas. A sua mensagem está marcada como urgente para ser lida por uma pessoa da nossa equipa.',
    legal:
      'Obrigado pela sua mensagem. Levamo-la a sério. Está marcada para as pessoas da nossa equipa responsáveis por estes assuntos, e não lhe respondemos automaticamente.',
    privacy:
      'Obrigado pela sua mensagem sobre dados pessoais. Está marcada para as pessoas da nossa equipa responsáveis pela proteção de dados, e não lhe respondemos automaticamente. Poderá ser necessário confirmar primeiro a sua identidade.',
    discrimination:
      'Obrigado por nos contar. Lamentamos que isto tenha acontecido. Ninguém deve ser tratado assim. A sua mensagem está marcada para ser lida na íntegra por uma pessoa da nossa equipa.',
    vulnerable:
      'Obrigado por nos escrever sobre isto. Não queremos responder com um texto automático. A sua mensagem está marcada para ser lida com atenção por uma pessoa da nossa equipa. Se alguém estiver em perigo, ligue para o número de emergência: 112 na Europa.',
    press:
      'Obrigado pela sua mensagem. Está marcada para as pessoas da nossa equipa que respondem a este tipo de pedidos.',
  },
};
