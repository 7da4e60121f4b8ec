@echo off
rem Runs a command of Forebay: bin\forebay --help. It needs Java 17 or later: that of JAVA_HOME, or else the one on the PATH.
setlocal
set "HOME_DIR=%~dp0.."
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java.exe"
if defined JAVA_HOME if not exist "%JAVA%" (
    echo forebay: JAVA_HOME is %JAVA_HOME%, but there is no bin\java.exe: set it to a Java 17 or later, or unset it 1>&2
    exit /b 1
)
if not defined JAVA_HOME where java >nul 2>nul || (
    echo forebay: no java on the PATH: install Java 17 or later, or set JAVA_HOME 1>&2
    exit /b 1
)
"%JAVA%" %FOREBAY_JAVA_OPTS% "-Dforebay.home=%HOME_DIR%" -Dforebay.terminal=false -jar "%HOME_DIR%\lib\forebay.jar" %*
exit /b %ERRORLEVEL%
