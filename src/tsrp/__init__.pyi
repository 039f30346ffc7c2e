# Written by tools/write_stub.py (make stubs).
from tsrp._utsp import ClassPick as ClassPick
from tsrp._utsp import utsp as utsp
from tsrp.base.adapter import Adapter as Adapter
from tsrp.base.adapter import Method as Method
from tsrp.classifiers import NearestNeighbour as NearestNeighbour
from tsrp.exceptions import TsrpError as TsrpError
from tsrp.methods.bda import BDA as BDA
from tsrp.methods.cdml import CDML as CDML
from tsrp.methods.dicd import DICD as DICD
from tsrp.methods.dtsl import DTSL as DTSL
from tsrp.methods.gfk import GFK as GFK
from tsrp.methods.jda import JDA as JDA
from tsrp.methods.nn import NN as NN
from tsrp.methods.pca import PCA as PCA
from tsrp.methods.rtml import RTML as RTML
from tsrp.methods.tca import TCA as TCA
from tsrp.methods.tjm import TJM as TJM
from tsrp.methods.tsl import TSL as TSL
from tsrp.preprocessing import PerDomain as PerDomain
from tsrp.progress import Round as Round
from tsrp.progress import Step as Step
from tsrp.remedy import TSRP as TSRP
from tsrp.saving.archive import load as load
from tsrp.spec import MethodSpec as MethodSpec
from tsrp.trust.judgement import Judgement as Judgement

__version__: str
