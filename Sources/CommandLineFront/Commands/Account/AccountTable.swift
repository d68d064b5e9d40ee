extension CommandTable {
  /// The server and the session with it.
  static let account: [CommandSpec] = [
    CommandSpec(
      name: .server, summary: "what the server is and allows", example: "blastoise server",
      run: ServerCommand.run),
    CommandSpec(
      name: .login, operands: [.init(name: "USER", isRequired: false)], options: [.passwordStdin],
      summary: "sign in",
      details: """
        The password is asked for without showing it, or comes from --password-stdin or
        BLASTOISE_PASSWORD; never from an argument. It is not kept, the session is.
        """,
      example: "blastoise login ada --server http://localhost:3001",
      run: { try await SignInCommand.run($0, makesAccount: false) }),
    CommandSpec(
      name: .signup, operands: [.init(name: "USER", isRequired: false)],
      options: [.passwordStdin], summary: "make an account and sign in",
      details: "The password comes as with login.",
      example: "blastoise signup ada --server http://localhost:3001",
      run: { try await SignInCommand.run($0, makesAccount: true) }),
    CommandSpec(
      name: .logout, summary: "end the session", example: "blastoise logout",
      run: LogoutCommand.run),
    CommandSpec(
      name: .whoami, summary: "who the server takes us for, and what we may do",
      example: "blastoise whoami", run: WhoAmICommand.run),
    CommandSpec(
      name: .kickOthers, options: [.yes], summary: "end all other sessions of this user",
      details: "What runs with the session kept here, on this box, goes on.",
      example: "blastoise kick-others --yes", run: KickOthersCommand.run),
  ]
}
